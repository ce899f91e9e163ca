import "uplot/dist/uPlot.min.css";
import "./style.css";
import { h } from "./dom";
import { Page } from "./page";
import { PageData, readPageData } from "./report";

function start(host: HTMLElement): void {
  let data: PageData;
  try {
    data = readPageData(document.getElementById("reports")!.textContent ?? "");
  } catch (error) {
    host.replaceChildren(h("p", { class: "error", role: "alert" }, (error as Error).message));
    return;
  }
  new Page(host, data);
}

start(document.getElementById("app")!);
