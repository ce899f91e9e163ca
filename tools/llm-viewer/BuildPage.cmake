# cmake -DSOURCE=<this folder> -DBUILD=<folder> -DNODE=.. -DNPM=.. -DWANTED=AUTO|ON|OFF -DLACK=<why not, or empty>
#       -P BuildPage.cmake
#
# Writes BUILD/ViewerPageText.inc and BUILD/ViewerPageLack.inc, C++ literals: the page and, where it is
# empty, why. Works in a copy, so that the source tree stays as it is.

function(write_literals page lack)
  if(page MATCHES "\\)page\"")
    message(FATAL_ERROR "the page holds what ends its literal")
  endif()
  file(WRITE "${BUILD}/ViewerPageText.inc" "R\"page(${page})page\"\n")
  file(WRITE "${BUILD}/ViewerPageLack.inc" "R\"page(${lack})page\"\n")
endfunction()

function(run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${BUILD}" RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  set(runResult "${result}" PARENT_SCOPE)
  set(runOutput "${output}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY "${BUILD}")
if(LACK)
  write_literals("" "${LACK}")
  return()
endif()

file(REMOVE_RECURSE "${BUILD}/src" "${BUILD}/dist")
foreach(name src index.html package.json package-lock.json tsconfig.json vite.config.js)
  file(COPY "${SOURCE}/${name}" DESTINATION "${BUILD}")
endforeach()

# The packages as the lock names them; again only when it changes.
set(installed "${BUILD}/node_modules/installed.sha256")
file(SHA256 "${BUILD}/package-lock.json" wanted)
set(found "")
if(EXISTS "${installed}")
  file(READ "${installed}" found)
endif()
if(NOT found STREQUAL wanted)
  run(packages "${NPM}" ci --ignore-scripts --no-audit --no-fund)
  if(NOT runResult EQUAL 0)
    if(WANTED STREQUAL "ON")
      message(FATAL_ERROR "npm ci failed:\n${runOutput}")
    endif()
    message(WARNING "No page for --llm-export-html: npm ci failed:\n${runOutput}")
    write_literals("" "npm could not get its packages when it was built; build again where it can (ninja llm-opt says why)")
    return()
  endif()
  file(WRITE "${installed}" "${wanted}")
endif()

foreach(tool "typescript/bin/tsc" "vite/bin/vite.js")
  set(arguments)
  if(tool MATCHES vite)
    set(arguments build)
  endif()
  run("${tool}" "${NODE}" "${BUILD}/node_modules/${tool}" ${arguments})
  if(NOT runResult EQUAL 0)
    message(FATAL_ERROR "${tool} failed:\n${runOutput}")
  endif()
endforeach()
file(READ "${BUILD}/dist/index.html" page)
string(FIND "${page}" "@LLM_REPORTS@" first)
string(FIND "${page}" "@LLM_REPORTS@" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "the page has not one place for its data")
endif()
write_literals("${page}" "")
