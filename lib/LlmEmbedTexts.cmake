# llm_embed_texts(<variable> <file> FOLDER <folder> [SUFFIX .py] NAMES <name>...)
#
# A source file of the build folder with the texts of <folder>/<name>.json, or with that suffix, as entries
# {"name", R"text(..)text"} of an array. <variable> becomes its path, which the library that includes it has as a source.
function(llm_embed_texts variable file)
  cmake_parse_arguments(ARG "" "FOLDER;SUFFIX" "NAMES" ${ARGN})
  if(NOT ARG_SUFFIX)
    set(ARG_SUFFIX .json)
  endif()
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${file}")
  set(script "${PROJECT_SOURCE_DIR}/lib/EmbedTexts.cmake")
  list(TRANSFORM ARG_NAMES PREPEND "${ARG_FOLDER}/" OUTPUT_VARIABLE files)
  list(TRANSFORM files APPEND "${ARG_SUFFIX}")
  string(REPLACE ";" "," names "${ARG_NAMES}")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DFOLDER=${ARG_FOLDER}" "-DNAMES=${names}" "-DSUFFIX=${ARG_SUFFIX}" "-DOUTPUT=${output}"
            -P "${script}"
    DEPENDS ${files} "${script}"
    COMMENT "Embedding the texts of ${file}" VERBATIM)
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()
