
"use strict";
(function () {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const slider = document.getElementById("slider");
  const where = document.getElementById("where");
  const last = Number(slider.max);
  const rows = all("#chart .row"), steps = all(".step"), known = all(".known"), lines = all(".line");
  const stepOf = (element) => Number(element.dataset.step);
  lines.forEach((line) => { line.steps = (line.dataset.steps || "").split(" ").filter(Boolean).map(Number); });
  document.body.classList.add("stepping");

  // The heads of the lanes stay while a long chart scrolls.
  const chart = document.getElementById("chart"), whole = chart.querySelector("svg");
  const heads = all("#chart .lane .head").map((head) => head.getBBox());
  const top = Math.min(...heads.map((box) => box.y)), height = Math.max(...heads.map((box) => box.height)) + 8;
  const strip = document.createElementNS(whole.namespaceURI, "svg");
  const wide = whole.viewBox.baseVal.width;
  const sizes = { class: "msc heads", "aria-hidden": "true", "aria-label": "heads of the lanes", width: wide, height: height, viewBox: [0, top - 4, wide, height].join(" ") };
  Object.entries(sizes).forEach(([name, value]) => strip.setAttribute(name, value));
  const ground = whole.querySelector(".ground").cloneNode();
  strip.append(ground);
  all("#chart .lane").forEach((lane) => {
    const copy = lane.cloneNode(true);
    copy.querySelectorAll(".life, .end").forEach((line) => line.remove());
    strip.append(copy);
  });
  if (heads.length) chart.prepend(strip);
  // It lies over the chart and takes no room: the chart has heads of its own.
  strip.style.marginBottom = -height + "px";
  const cover = () => { strip.style.visibility = chart.scrollTop > top ? "visible" : "hidden"; };
  chart.addEventListener("scroll", cover);
  cover();
  // A chart that does not fit beside the steps gets the whole width; it is no taller than what the controls leave of the screen.
  const fit = () => {
    chart.style.maxHeight = Math.max(innerHeight - document.querySelector(".controls").offsetHeight - 24, 240) + "px";
    const main = document.querySelector("main");
    main.classList.remove("wide");
    main.classList.toggle("wide", chart.scrollWidth > chart.clientWidth + 1);
  };
  window.addEventListener("resize", () => { fit(); show(Number(slider.value)); });
  fit();

  // First inside the frame of the chart, then on the screen, below the controls.
  function keepInView(item) {
    const frame = chart.getBoundingClientRect();
    let row = item.getBoundingClientRect();
    const above = frame.top + height + 12, below = frame.bottom - 12;
    if (row.top < above) chart.scrollTop += row.top - above;
    else if (row.bottom > below) chart.scrollTop += row.bottom - below;
    // Of an arrow that is wider than the frame its words matter.
    let arrow = (item.querySelector(".arrow") || item).getBoundingClientRect();
    const words = item.querySelector(".message");
    if (words && arrow.width > frame.width - 24) arrow = words.getBoundingClientRect();
    if (arrow.right > frame.right - 12) chart.scrollLeft += arrow.right - frame.right + 12;
    if (arrow.left < frame.left + 12) chart.scrollLeft += arrow.left - frame.left - 12;
    row = item.getBoundingClientRect();
    const bar = document.querySelector(".controls").offsetHeight + 12 + height;
    if (row.bottom > innerHeight - 12) window.scrollBy(0, row.bottom - innerHeight + 12);
    else if (row.top < bar) window.scrollBy(0, row.top - bar);
  }

  function narration() {
    const text = (item, part) => (item.querySelector(part) || {}).textContent || "";
    return steps.map((item) => {
      const title = text(item, "h3").replace("\u2192", "->"), message = text(item, ".term");
      return message ? title + " : " + message : title;
    }).join("\n") + "\n";
  }
  const copy = document.getElementById("copy");
  copy.addEventListener("click", () => {
    const done = () => { copy.textContent = "Copied"; setTimeout(() => { copy.textContent = "Copy as narration"; }, 1500); };
    const area = document.createElement("textarea");
    area.value = narration();
    document.body.append(area);
    area.select();
    if (document.execCommand("copy")) done();
    area.remove();
  });

  function show(step) {
    step = Math.max(0, Math.min(last, step));
    slider.value = String(step);
    where.textContent = step + " of " + last;
    slider.setAttribute("aria-valuetext", where.textContent);
    document.body.classList.toggle("at-start", step === 0);
    rows.forEach((row) => {
      row.classList.toggle("future", stepOf(row) > step);
      row.classList.toggle("now", stepOf(row) === step);
    });
    steps.forEach((item) => item.classList.toggle("now", stepOf(item) === step));
    known.forEach((item) => {
      item.classList.toggle("future", stepOf(item) > step);
      item.classList.toggle("fresh", step > 0 && stepOf(item) === step);
    });
    const now = rows.find((row) => stepOf(row) === step);
    if (now) keepInView(now);
    else chart.scrollTop = 0;
    let first = null;
    lines.forEach((line) => {
      const active = line.steps.includes(step);
      line.classList.toggle("active", active);
      if (active && !first) first = line;
    });
    if (first) {
      const frame = first.parentElement;
      if (frame.scrollHeight > frame.clientHeight) frame.scrollTop = first.offsetTop - frame.offsetTop - 40;
    }
  }
  const move = (by) => show(Number(slider.value) + by);

  slider.addEventListener("input", () => show(Number(slider.value)));
  document.getElementById("first").addEventListener("click", () => show(0));
  document.getElementById("back").addEventListener("click", () => move(-1));
  document.getElementById("forth").addEventListener("click", () => move(1));
  document.getElementById("last").addEventListener("click", () => show(last));
  rows.forEach((row) => row.addEventListener("click", () => show(stepOf(row))));
  document.addEventListener("keydown", (event) => {
    // Whoever scrolls through a listing keeps the keys.
    if (event.target.closest && event.target.closest("pre")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { ArrowRight: 1, ArrowLeft: -1 };
    if (event.key in keys) move(keys[event.key]);
    else if (event.key === "Home") show(0);
    else if (event.key === "End") show(last);
    else return;
    event.preventDefault();
  });
  window.addEventListener("beforeprint", () => show(last));
  show(0);
})();
