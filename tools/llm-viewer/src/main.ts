import "uplot/dist/uPlot.min.css";
import "./style.css";
import { h } from "./dom";
import { Page } from "./page";
import { readPageData } from "./report";

function start(host: HTMLElement): void {
  try {
    new Page(host, readPageData(document.getElementById("reports")!.textContent ?? ""));
  } catch (error) {
    host.replaceChildren(h("p", { class: "error", role: "alert" }, (error as Error).message));
    throw error; // whoever looks for the cause finds it on the console
  }
}

start(document.getElementById("app")!);
