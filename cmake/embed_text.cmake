# cmake -DIN=file -DOUT=file.c -DSYMBOL=name [-DWITHOUT_COMMENTS=1] -P embed_text.cmake: writes `const char name[]` with
# the bytes of IN and a NUL; without comments // to the end of a line that hold no quote, and lines stay where they are.
set(from ${IN})
if(WITHOUT_COMMENTS)
  file(READ ${IN} text)
  string(REGEX REPLACE " *//[^\n\"]*\n" "\n" text "${text}")
  set(from ${OUT}.plain)
  file(WRITE ${from} "${text}")
endif()
file(READ ${from} bytes HEX)
string(REPEAT "[0-9a-f]" 32 sixteen)
string(REGEX REPLACE "(${sixteen})" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
get_filename_component(name ${IN} NAME)
file(WRITE ${OUT}.new
  "// ${name} as bytes. Made by cmake/embed_text.cmake.\n"
  "extern const char ${SYMBOL}[];\n"
  "const char ${SYMBOL}[] = {\n${bytes}0};\n")
file(RENAME ${OUT}.new ${OUT})
