# cmake -DSOURCE=<this folder> -DCOLOURS=<file> -DBUILD=<folder> -DNODE=.. -DNPM=.. -DWANTED=AUTO|ON|OFF
#       -DLACK=<why not, or empty>
#       -P BuildPage.cmake
#
# Writes BUILD/ViewerPageText.inc and BUILD/ViewerPageLack.inc, C++ literals: the page and, where it is
# empty, why. BUILD/page.stamp says that this was the last word: it is missing where packages could not be
# had, so that the next build tries again. Works in a copy, so that the source tree stays as it is.

# What is there already stays as old as it is.
function(write_literal name text)
  if(text MATCHES "\\)page\"")
    message(FATAL_ERROR "the page holds what ends its literal")
  endif()
  set(wanted "R\"page(${text})page\"\n")
  set(found "")
  if(EXISTS "${BUILD}/${name}")
    file(READ "${BUILD}/${name}" found)
  endif()
  if(NOT found STREQUAL wanted)
    file(WRITE "${BUILD}/${name}" "${wanted}")
  endif()
endfunction()

function(write_literals page lack)
  write_literal(ViewerPageText.inc "${page}")
  write_literal(ViewerPageLack.inc "${lack}")
endfunction()

function(run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${BUILD}" RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  set(runResult "${result}" PARENT_SCOPE)
  set(runOutput "${output}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY "${BUILD}")
file(REMOVE_RECURSE "${BUILD}/src" "${BUILD}/dist" "${BUILD}/page.stamp")
if(LACK)
  write_literals("" "${LACK}")
  file(TOUCH "${BUILD}/page.stamp")
  return()
endif()

foreach(name src index.html package.json package-lock.json tsconfig.json vite.config.js)
  file(COPY "${SOURCE}/${name}" DESTINATION "${BUILD}")
endforeach()

file(COPY_FILE "${COLOURS}" "${BUILD}/src/kindColours.json")

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
    write_literals("" "npm could not get its packages when it was built; build again where it can")
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
foreach(mark "@LLM_SUMMARY@" "@LLM_REPORTS@")
  string(FIND "${page}" "${mark}" first)
  string(FIND "${page}" "${mark}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "the page has not one place for ${mark}")
  endif()
endforeach()

# The page has in it what these licences are of.
set(licences "")
foreach(package "@dagrejs/dagre" uplot)
  file(READ "${BUILD}/node_modules/${package}/LICENSE" licence)
  string(APPEND licences "${package}\n\n${licence}\n")
endforeach()
if(licences MATCHES "--")
  message(FATAL_ERROR "a licence holds what ends a comment")
endif()
string(REPLACE "<head>" "<!--\nThis page contains:\n\n${licences}-->\n  <head>" page "${page}")
write_literals("${page}" "")
file(TOUCH "${BUILD}/page.stamp")
