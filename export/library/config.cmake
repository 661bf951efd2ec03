include(CMakeFindDependencyMacro)
find_dependency(Threads)
if(NOT TARGET PREFIX::deque)
  add_library(PREFIX::deque INTERFACE IMPORTED)
  get_filename_component(PREFIX_deque_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  set_target_properties(PREFIX::deque PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${PREFIX_deque_ROOT}/include"
    INTERFACE_COMPILE_FEATURES "c_std_11;cxx_std_17"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
