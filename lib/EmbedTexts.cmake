# cmake -DFOLDER=<folder> -DNAMES=<name>,<name>... -DSUFFIX=.json -DOUTPUT=<file> -P EmbedTexts.cmake
#
# Writes {"name", R"text(content)text"}, for each file <name><suffix>, so that the compiler carries them.
string(REPLACE "," ";" names "${NAMES}")
set(content "")
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}${SUFFIX}" text)
  string(APPEND content "{\"${name}\", R\"text(${text})text\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${content}")
