# oneDNN's own CMake package looks for OpenCL, which nothing here needs: its header and
# library, as the imported target OneDnn::onednn. Installed beside LlmConfig.cmake.
find_path(OneDnn_INCLUDE_DIR oneapi/dnnl/dnnl.h)
find_library(OneDnn_LIBRARY dnnl)
if(OneDnn_INCLUDE_DIR)
  file(STRINGS "${OneDnn_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h" onednn_version
    REGEX "#define DNNL_VERSION_(MAJOR|MINOR) ")
  string(REGEX REPLACE "[^0-9;]" "" onednn_version "${onednn_version}")
  string(REPLACE ";" "." OneDnn_VERSION "${onednn_version}")
  # The interface of version 3 is another one.
  if(OneDnn_VERSION VERSION_GREATER_EQUAL 3)
    set(OneDnn_LIBRARY OneDnn_LIBRARY-NOTFOUND)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneDnn
  REQUIRED_VARS OneDnn_INCLUDE_DIR OneDnn_LIBRARY
  VERSION_VAR OneDnn_VERSION)

if(OneDnn_FOUND AND NOT TARGET OneDnn::onednn)
  add_library(OneDnn::onednn INTERFACE IMPORTED)
  target_include_directories(OneDnn::onednn SYSTEM INTERFACE "${OneDnn_INCLUDE_DIR}")
  target_link_libraries(OneDnn::onednn INTERFACE "${OneDnn_LIBRARY}")
endif()
