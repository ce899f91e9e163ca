// RUN: llm-opt %S/Inputs/loop.mlir --llm-export-perfetto=file=%t.json \
// RUN:   "--llm-export-report=file=%t.report.json format=json" -o %t.mlir
// RUN: FileCheck %s < %t.json

// An independent reader finds every slot, dependence, track name and counter.
// RUN: %python %integration/check_trace.py %t.json %t.report.json | FileCheck %s --check-prefix=OK
// RUN: %python -m json.tool %t.json > /dev/null

// The input's head draws the schedule: 1 + 3 x 4 + 1 = 14 slices; 1 arrow into the loop,
// 2 from layer to layer, 3 x 4 within layers, 1 out of the loop: 16. Counters: DRAM, two groups of
// engines, the private memory of the cores; of DRAM what moves and what is held.
// OK: ok: 14 slices, 16 arrows, 5 counters

// The head says what the trace is about, and that costs written by hand are not those of the target.
// CHECK:      {"displayTimeUnit":"ns","otherData":{"function":"decode","target":"toy","target_description":"invented: for tests","clock_hz":500000000,"time":"ns","policy":"list","makespan_cycles":200,"problems":["the cost of 'embed' is stale: {{[^"]*}}"]},"traceEvents":[

// Processes: the target, the layers, each group of engines; all engines are tracks in their
// order, the idle DMA queue too. No tid is a pid, which would make it a main thread.
// CHECK-NEXT: {"ph":"M","name":"process_name","pid":1,"tid":1,"args":{"name":"toy: DOES NOT HOLD"}},
// CHECK-NEXT: {"ph":"M","name":"process_sort_index","pid":1,"tid":1,"args":{"sort_index":0}},
// CHECK-NEXT: {"ph":"M","name":"process_name","pid":2,"tid":2,"args":{"name":"layers"}},
// CHECK-NEXT: "process_sort_index","pid":2,"tid":2,"args":{"sort_index":1}
// CHECK-NEXT: "process_name","pid":3,"tid":3,"args":{"name":"core"}
// CHECK-NEXT: "process_sort_index","pid":3,"tid":3,"args":{"sort_index":2}
// CHECK-NEXT: "process_name","pid":4,"tid":4,"args":{"name":"dma"}
// CHECK-NEXT: "process_sort_index","pid":4,"tid":4,"args":{"sort_index":3}
// CHECK-NEXT: {"ph":"M","name":"thread_name","pid":2,"tid":5,"args":{"name":"layers[0]"}},
// CHECK-NEXT: {"ph":"M","name":"thread_sort_index","pid":2,"tid":5,"args":{"sort_index":5}},
// CHECK-NEXT: "pid":3,"tid":6,"args":{"name":"core[0]"}
// CHECK-NEXT: "pid":3,"tid":6,"args":{"sort_index":6}
// CHECK-NEXT: "pid":3,"tid":7,"args":{"name":"core[1]"}
// CHECK-NEXT: "pid":3,"tid":7,"args":{"sort_index":7}
// CHECK-NEXT: "pid":4,"tid":8,"args":{"name":"dma[0]"}
// CHECK-NEXT: "pid":4,"tid":8,"args":{"sort_index":8}

// What it is about, for a click.
// CHECK-NEXT: {"ph":"i","name":"schedule","s":"p","pid":1,"ts":0.000,"args":{"function":"{{.*}}","target":"toy",{{.*}}"clock_hz":500000000,

// What is in no layer stands beside the layers by its own name. Ten cycles of 2 ns are
// 0.020 us. An arrow leaves 1 ns before the end.
// CHECK-NEXT: {"ph":"X","name":"embed","cat":"layer","pid":2,"tid":5,"ts":0.000,"dur":0.020,"args":{"start_cycle":0,"end_cycle":10,"ops":1}},
// CHECK-NEXT: {"ph":"X","name":"embed","cat":"op","pid":3,"tid":6,"ts":0.000,"dur":0.020,
// CHECK-NEXT: {"ph":"s","name":"dependence",{{.*}}"tid":6,"ts":0.019}

// 384 bytes in 20 ns, 192 lanes of 0.1 GB/s, and the working set of embed.
// CHECK-NEXT: {"ph":"C","name":"dram bandwidth","pid":1,"ts":0.000,"args":{"GB/s":19.2}},
// CHECK-NEXT: {"ph":"C","name":"dram bandwidth held","pid":1,"ts":0.000,"args":{"GB/s":19.2}},
// CHECK-NEXT: {"ph":"C","name":"engines busy core","pid":1,"ts":0.000,"args":{"engines":1}},
// CHECK-NEXT: {"ph":"C","name":"engines busy dma","pid":1,"ts":0.000,"args":{"engines":0}},
// CHECK-NEXT: {"ph":"C","name":"private memory core","pid":1,"ts":0.000,"args":{"bytes":384}},

// The first layer has index 2 and takes 60 cycles. Its norm waits for what came before the
// loop; the arrow arrives 1 ns after its start.
// CHECK-NEXT: {"ph":"X","name":"layers.2","cat":"layer",{{.*}}"ts":0.020,"dur":0.120,"args":{"iteration":[0],"start_cycle":10,"end_cycle":70,"ops":4}},
// CHECK-NEXT: {"ph":"X","name":"layers.2.norm",{{.*}}"ts":0.020,"dur":0.020,{{.*}}"depends_on":["embed"]}},
// CHECK-NEXT: {"ph":"f","name":"dependence","cat":"dependence","bp":"e",{{.*}}"tid":6,"ts":0.021},

// What a click shows: cycles 20 to 50, shapes, tile, cost, the run that it waits for.
// CHECK:      {"ph":"X","name":"layers.2.up","cat":"op","pid":3,"tid":6,"ts":0.040,"dur":0.060,"args":{
// CHECK-SAME:   "op":"llm.matmul","iteration":[0],"start_cycle":20,"end_cycle":50,"lanes":{"dram":86},
// CHECK-SAME:   "in":["4x8xf32","8x8xf32"],"out":["4x8xf32"],
// CHECK-SAME:   "tile":{"strategy":"pinned","sram":{"sizes":{"k":8,"m":4,"n":8},"order":["m","n","k"],"buffers":{"lhs":1,"out":1,"rhs":1}}},
// Three runs of 60 ns are 90 of 290 cycles of engine time. 2 x 256 operations and 512 bytes in 60 ns; 256 multiply-accumulates
// in 30 cycles of two cores that do 9 each are 47.4 %.
// CHECK-SAME:   "all_runs":{"count":3,"time_us":0.06,"total_time_us":0.18,"share_percent":31.034482758620{{[0-9]*}},"tflop_per_second":0.008533333333333{{[0-9]*}},"gb_per_second":8.533333333333{{[0-9]*}},"percent_of_limit":47.407407407407{{[0-9]*}},"bound":"compute","time_from":"formula"},
// CHECK-SAME:   "cost":{"work":{"mac":256},"bytes":{"dram":512},"overhead_cycles":0,"serial_cycles":0,"compute_cycles":30,"memory_cycles":3,"bound":"compute"},
// CHECK-SAME:   "depends_on":["layers.2.norm"]

// Two cores move 512 bytes in 60 ns, 8,533,333,333 a second, and hold 86 lanes and 512 bytes, each,
// from cycle 20 on.
// CHECK:      "name":"dram bandwidth","pid":1,"ts":0.040,"args":{"GB/s":17.066666666}
// CHECK-NEXT: "name":"dram bandwidth held","pid":1,"ts":0.040,"args":{"GB/s":17.2}
// CHECK-NEXT: "name":"engines busy core","pid":1,"ts":0.040,"args":{"engines":2}
// CHECK-NEXT: "name":"private memory core","pid":1,"ts":0.040,"args":{"bytes":1024}

// From then on a norm waits for the layer before; the index goes 2, 4, 6, and a layer
// takes 60 cycles, 120 ns.
// CHECK:      "name":"layers.4.norm",{{.*}}"ts":0.140,{{.*}}"iteration":[1],{{.*}}"depends_on":["layers.2.sum"]
// CHECK:      "name":"layers.6.norm",{{.*}}"ts":0.260,{{.*}}"iteration":[2],{{.*}}"depends_on":["layers.4.sum"]

// The loop's result comes from its last iteration, and all counters end at 0.
// CHECK:      "name":"final",{{.*}}"ts":0.380,"dur":0.020,{{.*}}"depends_on":["layers.6.sum"]
// CHECK:      "name":"dram bandwidth","pid":1,"ts":0.400,"args":{"GB/s":0}
// CHECK-NEXT: "name":"dram bandwidth held","pid":1,"ts":0.400,"args":{"GB/s":0}
// CHECK-NEXT: "name":"engines busy core","pid":1,"ts":0.400,"args":{"engines":0}
// CHECK-NEXT: "name":"private memory core","pid":1,"ts":0.400,"args":{"bytes":0}
// CHECK-NEXT: {{^}}]}

// A second run gives the same bytes, `file=-` too, and the IR stays what it was.
// RUN: llm-opt %t.mlir --llm-export-perfetto=file=- -o %t.again.mlir > %t.again.json
// RUN: cmp %t.json %t.again.json
// RUN: cmp %t.mlir %t.again.mlir
