# The page as two sources that lib/Export includes: its text, and why there is none. Where node or npm
# are missing, or the packages cannot be had, everything else is built and --llm-export-html says why.
#
#   LLM_VIEWER   AUTO (the default), ON (a page that cannot be built fails the build), OFF

set(LLM_VIEWER AUTO CACHE STRING "Build the page of --llm-export-html: AUTO (if node 18 and npm are there), ON or OFF")
find_program(LLM_NODE node)
find_program(LLM_NPM npm)

set(viewerFolder "${CMAKE_CURRENT_LIST_DIR}")
set(viewerBuild "${PROJECT_BINARY_DIR}/tools/llm-viewer")
set(viewerPageFiles "${viewerBuild}/ViewerPageText.inc" "${viewerBuild}/ViewerPageLack.inc" "${viewerBuild}/page.stamp")
set(viewerLack "")
if(LLM_VIEWER STREQUAL "OFF")
  set(viewerLack "it was configured with LLM_VIEWER=OFF")
elseif(NOT LLM_NODE OR NOT LLM_NPM)
  set(viewerLack "node and npm were not there when it was configured; install them (Debian: nodejs, npm), configure and build again")
else()
  execute_process(COMMAND "${LLM_NODE}" --version OUTPUT_VARIABLE viewerNodeVersion OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "v" "" viewerNodeVersion "${viewerNodeVersion}")
  if(viewerNodeVersion VERSION_LESS 18)
    set(viewerLack "it was configured with node ${viewerNodeVersion}; install node 18 or newer, configure and build again")
  endif()
endif()
if(viewerLack)
  if(LLM_VIEWER STREQUAL "ON")
    message(FATAL_ERROR "LLM_VIEWER=ON, but there can be no page: ${viewerLack}")
  endif()
  message(STATUS "No page for --llm-export-html: ${viewerLack}")
endif()

file(GLOB_RECURSE viewerSources CONFIGURE_DEPENDS "${viewerFolder}/src/*")
set(viewerInputs ${viewerSources})
foreach(name index.html package.json package-lock.json tsconfig.json vite.config.js BuildPage.cmake)
  list(APPEND viewerInputs "${viewerFolder}/${name}")
endforeach()
# A source that is gone changes this list.
file(CONFIGURE OUTPUT "${viewerBuild}/sources.txt" CONTENT "${viewerSources}\n" @ONLY)
set(viewerColours "${PROJECT_SOURCE_DIR}/lib/Results/KindColours.json")
list(APPEND viewerInputs "${viewerBuild}/sources.txt" "${viewerColours}")
add_custom_command(OUTPUT "${viewerBuild}/page.stamp"
  BYPRODUCTS "${viewerBuild}/ViewerPageText.inc" "${viewerBuild}/ViewerPageLack.inc"
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${viewerFolder}" "-DCOLOURS=${viewerColours}" "-DBUILD=${viewerBuild}" "-DNODE=${LLM_NODE}" "-DNPM=${LLM_NPM}"
          "-DWANTED=${LLM_VIEWER}" "-DLACK=${viewerLack}" -P "${viewerFolder}/BuildPage.cmake"
  DEPENDS ${viewerInputs}
  COMMENT "Building the page of --llm-export-html" VERBATIM)
