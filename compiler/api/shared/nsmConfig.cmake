# find_package(nsm): target_link_libraries(ball PRIVATE nsm::nsm). Paths are relative to this file.
include("${CMAKE_CURRENT_LIST_DIR}/nsmTargets.cmake")
