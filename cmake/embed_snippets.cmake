# cmake -DOUTPUT= -DFOLDER= -P embed_snippets.cmake: the files of a folder as a C++ table of raw strings.
file(GLOB files ${FOLDER}/*)
list(SORT files)
set(text "namespace shmem_bind::binding {\nextern const char* const kSnippets[];\nconst char* const kSnippets[] = {\n")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} content HEX)  # hexadecimal: CMake would change brackets and semicolons
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" content "${content}")
  string(REGEX REPLACE "(\\\\x0a)" "\\1\"\n    \"" content "${content}")
  string(APPEND text "    \"${name}\",\n    \"${content}\",\n")
endforeach()
string(APPEND text "    nullptr};\n}  // namespace shmem_bind::binding\n")
file(WRITE ${OUTPUT} "${text}")
