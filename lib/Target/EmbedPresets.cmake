# cmake -DFOLDER=<presets> -DNAMES=<name>,<name>... -DOUTPUT=<file> -P EmbedPresets.cmake
#
# Writes {"name", R"json(text)json"}, for each preset, so that the compiler carries them.
string(REPLACE "," ";" names "${NAMES}")
set(content "")
foreach(name IN LISTS names)
  file(READ "${FOLDER}/${name}.json" text)
  string(APPEND content "{\"${name}\", R\"json(${text})json\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${content}")
