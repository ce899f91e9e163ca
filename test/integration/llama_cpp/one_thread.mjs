// The greedy tokens of llama.cpp on one thread, which does not wait for others on a busy machine:
//   node one_thread.mjs PACKAGES MODEL.gguf 1,2,3 STEPS
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const [packages, modelPath, prompt, steps] = process.argv.slice(2);
const index = join(packages, "node_modules", "node-llama-cpp", "dist", "index.js");
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(index));
const llama = await getLlama({gpu: false, build: "never", skipDownload: true, logLevel: LlamaLogLevel.error, maxThreads: 1});
const model = await llama.loadModel({modelPath, gpuLayers: 0});
const context = await model.createContext({
  contextSize: 64, threads: 1, flashAttention: false, experimentalKvCacheKeyType: "F32",
  experimentalKvCacheValueType: "F32"});
const found = [];
for await (const token of context.getSequence().evaluate(prompt.split(",").map(Number), {temperature: 0, yieldEogToken: true})) {
  found.push(token);
  if (found.length == Number(steps))
    break;
}
console.log(found.join(" "));
await llama.dispose();
