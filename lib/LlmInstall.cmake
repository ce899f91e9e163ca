# What `cmake --install` puts down beside the tools and libraries (each installs itself),
# and the Debian package made of it.
include(CMakePackageConfigHelpers)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/llm" "${PROJECT_SOURCE_DIR}/include/llm-c" "${PROJECT_BINARY_DIR}/include/llm"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td" PATTERN "CMakeFiles" EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/dialects"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/llm"
  FILES_MATCHING PATTERN "*.td" PATTERN "examples" EXCLUDE)
install(FILES README.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs examples dialects/llm/examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES dialects/llm/Spec.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES lib/Target/presets/README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME Targets.md)

set(cmakeFolder "${CMAKE_INSTALL_LIBDIR}/cmake/Llm")
install(EXPORT LlmTargets DESTINATION "${cmakeFolder}")
configure_package_config_file(lib/LlmConfig.cmake.in "${PROJECT_BINARY_DIR}/LlmConfig.cmake"
  INSTALL_DESTINATION "${cmakeFolder}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/LlmConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/LlmConfig.cmake" "${PROJECT_BINARY_DIR}/LlmConfigVersion.cmake"
  lib/FindGecode.cmake
  lib/FindOneDnn.cmake
  DESTINATION "${cmakeFolder}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME llm-opt)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "The llm-opt developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Tiles, costs and schedules of LLM decoder blocks")
set(CPACK_PACKAGE_DESCRIPTION "An MLIR compiler whose programs are LLM decoder blocks and whose answer is time.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# Written down, since dpkg-shlibdeps does not know the folder in which Debian keeps
# libMLIR. Building against the package needs what it suggests.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "libmlir-22 (>= 1:22.1), libllvm22 (>= 1:22.1), libstdc++6 (>= 12), libgcc-s1 (>= 12), libc6 (>= 2.36), zlib1g (>= 1:1.2)")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libmlir-22-dev, mlir-22-tools, nlohmann-json3-dev, zlib1g-dev, libomp5")
if(LLM_HAS_NLOPT)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libnlopt0 (>= 2.7)")
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libnlopt-dev")
endif()
if(LLM_HAS_SQLITE3)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libsqlite3-0 (>= 3.36)")
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libsqlite3-dev")
endif()
if(LLM_HAS_ONEDNN)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libdnnl2 (>= 2.6)")
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libdnnl-dev")
endif()
if(LLM_HAS_MPI)
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libopenmpi3, openmpi-bin")
endif()
if(LLM_HAS_GECODE)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libgecode49 (>= 6.2)")
  string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", libgecode-dev")
endif()
include(CPack)
