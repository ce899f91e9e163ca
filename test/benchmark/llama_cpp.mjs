// Seconds that llama.cpp takes for a prompt, and for tokens behind it:
//   node llama_cpp.mjs PACKAGES MODEL.gguf PROMPT_TOKENS STEPS THREADS
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const [packages, modelPath, ...numbers] = process.argv.slice(2);
const [promptTokens, steps, threads] = numbers.map(Number);
const index = join(packages, "node_modules", "node-llama-cpp", "dist", "index.js");
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(index));
const llama = await getLlama({
  gpu: false, build: "never", skipDownload: true, logLevel: LlamaLogLevel.error, maxThreads: threads});
const model = await llama.loadModel({modelPath, gpuLayers: 0});
const context = await model.createContext({
  contextSize: promptTokens + steps + 8, batchSize: promptTokens, flashAttention: false, threads});
const sequence = context.getSequence();
const prompt = Array.from({length: promptTokens}, (_, i) => 300 + i * 7 % 1000);
// The first run reads the weights.
await sequence.evaluateWithoutGeneratingNewTokens(prompt);
await sequence.clearHistory();
let start = performance.now();
await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(0, -1));
const prefill = (performance.now() - start) / 1000;
start = performance.now();
let count = 0;
for await (const token of sequence.evaluate(prompt.slice(-1), {temperature: 0, yieldEogToken: true}))
  if (++count === steps)
    break;
const decode = (performance.now() - start) / 1000 / steps;
console.log(JSON.stringify({prefill, decode}));
await llama.dispose();
