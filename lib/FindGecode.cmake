# Gecode brings no CMake package of its own: its headers and libraries, as the imported
# target Gecode::gecode. Installed beside LlmConfig.cmake, which needs it, too.
find_path(Gecode_INCLUDE_DIR gecode/search.hh)
set(gecode_libraries)
foreach(part search minimodel int kernel support)
  find_library(Gecode_${part}_LIBRARY gecode${part})
  list(APPEND gecode_libraries Gecode_${part}_LIBRARY)
endforeach()
if(Gecode_INCLUDE_DIR)
  file(STRINGS "${Gecode_INCLUDE_DIR}/gecode/support/config.hpp" gecode_version
    REGEX "#define GECODE_VERSION ")
  string(REGEX MATCH "[0-9.]+" Gecode_VERSION "${gecode_version}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Gecode
  REQUIRED_VARS Gecode_INCLUDE_DIR ${gecode_libraries}
  VERSION_VAR Gecode_VERSION)

if(Gecode_FOUND AND NOT TARGET Gecode::gecode)
  add_library(Gecode::gecode INTERFACE IMPORTED)
  target_include_directories(Gecode::gecode SYSTEM INTERFACE "${Gecode_INCLUDE_DIR}")
  foreach(library IN LISTS gecode_libraries)
    target_link_libraries(Gecode::gecode INTERFACE "${${library}}")
  endforeach()
endif()
