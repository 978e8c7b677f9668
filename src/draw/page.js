
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
  show(last);
})();
