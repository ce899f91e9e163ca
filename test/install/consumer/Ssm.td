//===- Ssm.td - State-space models -------------------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SSM_TD
#define SSM_TD

include "llm/dialects/interfaces/LinalgLoweringInterface.td"
include "llm/dialects/interfaces/WorkloadInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ssm_Dialect : Dialect {
  let name = "ssm";
  let summary = "state-space models, such as Mamba";
  let cppNamespace = "::ssm";
}

def Ssm_Matrix : 2DTensorOf<[AnyFloat]>;

def Ssm_ScanOp : Op<Ssm_Dialect, "scan",
    [Pure, AllTypesMatch<["x", "dt", "y"]>, AllTypesMatch<["b", "c"]>,
     AllTypesMatch<["state", "next"]>,
     DeclareOpInterfaceMethods<WorkloadOpInterface, ["getWorkloadName"]>,
     DeclareOpInterfaceMethods<LinalgLoweringOpInterface>]> {
  let summary = "selective scan";
  let description = [{
    For each step t, channel d and state n (Gu and Dao, Mamba, 2023):

        s[d, n] = exp(-dt[t, d] a[d, n]) s[d, n] + dt[t, d] x[t, d] b[t, n]
        y[t, d] = sum over n of s[d, n] c[t, n]

    `state` is s before the first step, `next` is s behind the last one.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$name, Ssm_Matrix:$x, Ssm_Matrix:$dt,
    Ssm_Matrix:$a, Ssm_Matrix:$b, Ssm_Matrix:$c, Ssm_Matrix:$state);
  let results = (outs Ssm_Matrix:$y, Ssm_Matrix:$next);
  let assemblyFormat = [{
    ($name^)? $x `,` $dt `,` $a `,` $b `,` $c `from` $state attr-dict
    `:` type($x) `,` type($a) `,` type($b) `,` type($state)
  }];
  let hasVerifier = 1;
}

def Ssm_FlipOp : Op<Ssm_Dialect, "flip",
    [Pure, SameOperandsAndResultType, DeclareOpInterfaceMethods<TransparentOpInterface>,
     DeclareOpInterfaceMethods<LinalgLoweringOpInterface>]> {
  let summary = "the steps of a sequence from last to first, as a view";
  let arguments = (ins Ssm_Matrix:$x);
  let results = (outs Ssm_Matrix:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

#endif // SSM_TD
