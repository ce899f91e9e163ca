if(LLM_PRECOMPILED_HEADERS)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/MlirHeaders.cpp" CONTENT "")
  add_library(LlmMlirHeaders OBJECT "${PROJECT_BINARY_DIR}/MlirHeaders.cpp")
  set(headers "${PROJECT_SOURCE_DIR}/lib/MlirHeaders.h")
  target_precompile_headers(LlmMlirHeaders PRIVATE "${headers}")
  # GCC never writes the same precompiled bytes twice. For ccache (CCACHE_PCH_EXTSUM of the presets) they are what they
  # are made of: our header, and MLIR's of one Debian package, whose files have the time at which it was made.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${headers}")
  file(SHA256 "${headers}" ours)
  file(TIMESTAMP "${MLIR_INCLUDE_DIRS}/mlir/InitAllDialects.h" theirs UTC)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/CMakeFiles/LlmMlirHeaders.dir/cmake_pch.hxx.gch.sum"
    CONTENT "${ours} ${LLVM_PACKAGE_VERSION} ${theirs}\n" @ONLY)
endif()

# What uses MLIR reads its headers precompiled, if they are.
function(llm_precompile_headers target)
  if(LLM_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM LlmMlirHeaders)
    # ccache must see that they are read; and GCC reads them only where all code is compiled
    # alike, while CMake would compile a program with -fPIE.
    target_compile_options(${target} PRIVATE -fpch-preprocess -fPIC)
  endif()
endfunction()

# llm_add_library(<name> LAYER <n> [SHARED] [SOURCES <file>...] [LINK <library>...])
#
# A static library of the compiler; without sources, several under one name; SHARED: one that
# holds what it links of the compiler, for programs in other languages. The layer is
# the floor of the house on which it stands (see docs/architecture.md): a library links only
# libraries of lower layers, and a link that points sideways or upward stops the
# configuration here.
function(llm_add_library name)
  cmake_parse_arguments(ARG "SHARED" "LAYER" "SOURCES;LINK" ${ARGN})
  if(NOT DEFINED ARG_LAYER OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "llm_add_library(${name}): expected LAYER, SOURCES and LINK, got '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  set(scope PUBLIC)
  set(kind STATIC)
  if(ARG_SHARED)
    set(scope PRIVATE)
    set(kind SHARED)
  endif()
  if(ARG_SOURCES)
    add_library(${name} ${kind} ${ARG_SOURCES})
    add_dependencies(${name} LlmTableGen)
    if(MLIR IN_LIST ARG_LINK)
      llm_precompile_headers(${name})
    endif()
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  set_target_properties(${name} PROPERTIES LLM_LAYER ${ARG_LAYER})
  foreach(dependency IN LISTS ARG_LINK)
    if(dependency MATCHES "^Llm")
      if(NOT TARGET ${dependency})
        message(FATAL_ERROR "${name} (layer ${ARG_LAYER}) links ${dependency}, which is not defined yet: only lower layers may be used")
      endif()
      get_target_property(layer ${dependency} LLM_LAYER)
      if(NOT layer LESS ARG_LAYER)
        message(FATAL_ERROR "${name} (layer ${ARG_LAYER}) links ${dependency} (layer ${layer}): only lower layers may be used")
      endif()
    endif()
  endforeach()
  target_link_libraries(${name} ${scope} ${ARG_LINK})
  target_include_directories(${name} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS ${name} EXPORT LlmTargets ARCHIVE LIBRARY)
endfunction()
