import "uplot/dist/uPlot.min.css";
import "./style.css";
import { h } from "./dom";
import { Page } from "./page";
import { readPageData } from "./report";
import { readTraceData } from "./trace/data";
import { TracePage } from "./trace/page";

function start(host: HTMLElement): void {
  try {
    const text = document.getElementById("reports")!.textContent ?? "";
    const trace = readTraceData(text);
    if (trace) new TracePage(host, trace);
    else new Page(host, readPageData(text));
  } catch (error) {
    host.replaceChildren(h("p", { class: "error", role: "alert" }, (error as Error).message));
    throw error; // whoever looks for the cause finds it on the console
  }
}

start(document.getElementById("app")!);
