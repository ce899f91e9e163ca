// Each part says on which thread it runs; slots say on which it should: engines 2, 0, 1, 0, 1, 2, the 6 parts in rows of 3.
// Of the library that runs the threads; a place in the source, or none.
func.func private @__kmpc_bound_thread_num(i64) -> i32

func.func @threads() -> tensor<2x3xf32> {
  %empty = tensor.empty() : tensor<2x3xf32>
  %all = scf.forall (%row, %column) = (0, 0) to (4, 9) step (2, 3) shared_outs(%out = %empty) -> tensor<2x3xf32> {
    %nowhere = arith.constant 0 : i64
    %thread = func.call @__kmpc_bound_thread_num(%nowhere) : (i64) -> i32
    %number = arith.sitofp %thread : i32 to f32
    %one = tensor.from_elements %number : tensor<1x1xf32>
    %two = arith.constant 2 : index
    %three = arith.constant 3 : index
    %i = arith.divui %row, %two : index
    %j = arith.divui %column, %three : index
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %out[%i, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<2x3xf32>
    }
  } {llm.slots = #llm.slots<[
      <part = 0, engine = "core"[2], start_cycle = 0, end_cycle = 1, lanes = {dram = 1}>,
      <part = 1, engine = "core"[0], start_cycle = 0, end_cycle = 1, lanes = {dram = 1} count = 2 index_stride = 1>,
      <part = 3, engine = "core"[0], start_cycle = 1, end_cycle = 2, lanes = {dram = 1} count = 3 index_stride = 1>]>}
  return %all : tensor<2x3xf32>
}
