# cmake -DFOLDER=<folder> -DNAMES=<name>,<name>... [-DSUFFIX=.py] -DOUTPUT=<file> -P EmbedPresets.cmake
#
# Writes {"name", R"text(content)text"}, for each file <name>.json (or with that suffix), so that the compiler carries
# them.
string(REPLACE "," ";" names "${NAMES}")
if(NOT SUFFIX)
  set(SUFFIX .json)
endif()
set(content "")
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}${SUFFIX}" text)
  string(APPEND content "{\"${name}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${content}")
