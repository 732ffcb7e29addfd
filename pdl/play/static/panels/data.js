// The data of the prompt, as JSON or YAML.

import { failure, fill, h } from "../dom.js";
import { makeEditor } from "../editor.js";

export function create(app) {
  const host = h("div", { class: "editor" });
  const told = h("div");
  makeEditor(host, { label: "Data", text: app.state.data, hint: "review: It broke.", onChange: (data) => app.update({ data }) });

  return {
    id: "data",
    title: "Data",
    element: h("div", {}, host, told),
    render({ inputs, failed }) {
      fill(told, failed.inputs ? failure(failed.inputs) : (inputs?.problems ?? []).map(({ message }) => h("p", { class: "error" }, message)));
    },
  };
}
