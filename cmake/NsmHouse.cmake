# The house rules as CMake functions.

# nsm_room(LIBRARY FOLDER): the folder's own CMakeLists.txt defines LIBRARY. A room that is still empty becomes a
# library without contents, so that the tree configures at every stage.
function(nsm_room library folder)
  if(NOT TARGET ${library} AND EXISTS ${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${PROJECT_SOURCE_DIR}/${folder})
  endif()
  if(NOT TARGET ${library})
    add_library(${library} INTERFACE)
  endif()
  set_property(GLOBAL APPEND PROPERTY NSM_ROOMS ${library})
endfunction()

# nsm_library(NAME USES...): a static library of every .c file of the current folder, linked as its row of the table
# says.
function(nsm_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  if(NOT sources)
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${ARGN})
endfunction()

# nsm_plugin(NAME PLACE HEADERS LIBRARY): a module from plugin.c, in lib/ of the build and in PLACE of an installation,
# for a library that nsm does without.
function(nsm_plugin name place headers library)
  add_library(${name} MODULE plugin.c)
  target_include_directories(${name} SYSTEM PRIVATE ${headers})
  target_link_libraries(${name} PRIVATE ${library})
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY})
  install(TARGETS ${name} LIBRARY DESTINATION ${place})
endfunction()

# nsm_embed_text(LIBRARY FILE SYMBOL): adds to LIBRARY a C source that defines `const char SYMBOL[]`, the bytes of FILE
# and a NUL.
function(nsm_embed_text library file symbol)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${file} -DOUT=${out} -DSYMBOL=${symbol} -P ${script}
    DEPENDS ${file} ${script} VERBATIM)
  target_sources(${library} PRIVATE ${out})
endfunction()

# nsm_unit_tests(FOLDER): every FOLDER/**/test_*.c is one cmocka program and one CTest test, named after its path; other
# .c files of the same folder are shared by its tests, and compiled once. No registration.
function(nsm_unit_tests folder)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${folder}/test_*.c)
  find_library(CMOCKA cmocka)
  if(NOT tests OR NOT CMOCKA)
    return()
  endif()
  get_property(rooms GLOBAL PROPERTY NSM_ROOMS)
  list(REVERSE rooms)
  foreach(test ${tests})
    get_filename_component(where ${test} DIRECTORY)
    file(GLOB shared CONFIGURE_DEPENDS ${where}/*.c)
    list(FILTER shared EXCLUDE REGEX "/test_[^/]*\\.c$")
    file(RELATIVE_PATH name ${folder} ${test})
    string(REGEX REPLACE "\\.c$" "" name ${name})
    string(REPLACE "/" "-" target unit-${name})
    add_executable(${target} ${test})
    if(shared)
      file(RELATIVE_PATH common ${folder} ${where})
      string(REPLACE "/" "-" common "shared-${common}")
      if(NOT TARGET ${common})
        add_library(${common} OBJECT ${shared})
        target_compile_definitions(${common} PRIVATE NSM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
        target_link_libraries(${common} PRIVATE ${rooms})
      endif()
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${common}>)
    endif()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unit ENABLE_EXPORTS ON)
    target_compile_definitions(${target} PRIVATE NSM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(${target} PRIVATE ${rooms} ${CMOCKA} m)
    add_test(NAME unit/${name} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(unit/${name} PROPERTIES TIMEOUT 900)
  endforeach()
endfunction()
