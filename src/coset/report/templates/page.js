(() => {
  "use strict";
  const root = document.documentElement;
  const memory = {
    get() { try { return localStorage.getItem("coset-theme"); } catch { return null; } },
    set(value) { try { localStorage.setItem("coset-theme", value); } catch { /* a page without storage */ } },
  };
  const wished = memory.get();
  if (wished === "light" || wished === "dark") root.dataset.theme = wished;
  root.classList.add("has-js");

  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

  function theme() {
    const button = document.querySelector("[data-theme-toggle]");
    const say = () => {
      button.textContent = dark() ? "Light" : "Dark";
      button.setAttribute("aria-label", `Switch to the ${dark() ? "light" : "dark"} theme`);
    };
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      memory.set(root.dataset.theme);
      say();
    });
    system.addEventListener("change", say);
    say();
  }

  function tables() {
    const buttons = [...document.querySelectorAll("[data-table]")];
    const all = document.querySelector("[data-all-tables]");
    const show = (button, open) => {
      const table = document.getElementById(button.dataset.table);
      table.hidden = !open;
      table.closest("figure").querySelector(".as-chart").hidden = open;
      button.setAttribute("aria-expanded", open);
      button.setAttribute("aria-label", `Show as ${open ? "chart" : "table"}: ${button.dataset.title}`);
      button.textContent = open ? "Chart" : "Table";
    };
    const isOpen = (button) => button.getAttribute("aria-expanded") === "true";
    const tell = () => all.setAttribute("aria-pressed", buttons.every(isOpen));
    for (const button of buttons) {
      button.addEventListener("click", () => { show(button, !isOpen(button)); tell(); });
    }
    all.hidden = buttons.length === 0;
    all.addEventListener("click", () => {
      const open = !buttons.every(isOpen);
      for (const button of buttons) show(button, open);
      tell();
    });
  }

  function copying() {
    for (const button of document.querySelectorAll("[data-copy]")) {
      button.addEventListener("click", async () => {
        const source = document.getElementById(button.dataset.copy);
        let done = true;
        try {
          await navigator.clipboard.writeText(source.textContent);
        } catch {
          getSelection().selectAllChildren(source);
          done = document.execCommand("copy");
        }
        button.textContent = done ? "Copied" : "Selected";
        setTimeout(() => { button.textContent = "Copy"; }, 1600);
      });
    }
  }

  function folds() {
    const reveal = () => {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
      if (target && location.hash) target.scrollIntoView();
    };
    addEventListener("hashchange", reveal);
    addEventListener("beforeprint", () => {
      for (const fold of document.querySelectorAll(".claim, .cell")) fold.open = true;
    });
    if (location.hash) reveal();
  }

  const tip = {
    on: null,
    again: null, // shows the tip anew where a focused mark has moved to
    show(target, text, x, y, again = null) {
      this.again = again;
      if (this.on !== target) {
        if (this.on) this.on.classList.remove("on");
        this.on = target;
        target.classList.add("on");
      }
      const box = document.getElementById("tip");
      if (box.textContent !== text) box.textContent = text;
      box.hidden = false;
      const { width, height } = box.getBoundingClientRect();
      const left = Math.min(Math.max(x + 14, 8), innerWidth - width - 8);
      const above = y - height - 14;
      box.style.left = `${Math.max(left, 8)}px`;
      box.style.top = `${above > 8 ? above : Math.min(y + 18, innerHeight - height - 8)}px`;
    },
    hide() {
      if (this.on) this.on.classList.remove("on");
      this.on = this.again = null;
      document.getElementById("tip").hidden = true;
    },
  };

  function pointing(svg, targets, text, across = 1) {
    let at = -1;
    const index = new Map(targets.map((target, place) => [target, place]));
    const find = (event) => {
      const hit = event.target.closest(".c-hit, .c-cells > g");
      return hit && index.has(hit) ? index.get(hit) : -1;
    };
    const leave = () => { if (!tip.again) tip.hide(); }; // a focused mark keeps its tip
    const point = (event) => {
      const place = find(event);
      if (place < 0) { leave(); return; }
      at = place;
      tip.show(targets[place], text(place), event.clientX, event.clientY);
    };
    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerdown", point);
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("blur", () => tip.hide());
    const focus = (place) => {
      at = Math.min(Math.max(place, 0), targets.length - 1);
      const box = targets[at].getBoundingClientRect();
      tip.show(targets[at], text(at), box.left + box.width / 2, box.top, () => focus(at));
    };
    svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) focus(Math.max(at, 0)); });
    svg.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across };
      if (event.key === "Escape") tip.hide();
      else if (event.key === "Home") focus(0);
      else if (event.key === "End") focus(targets.length - 1);
      else if (event.key in steps) {
        const next = at + steps[event.key];
        focus(next >= 0 && next < targets.length ? next : at);
      } else return;
      event.preventDefault();
    });
  }

  function charts() {
    for (const svg of document.querySelectorAll(".c-svg:not(.c-heat)")) {
      const targets = [...svg.querySelectorAll(".c-hit")];
      if (targets.length) pointing(svg, targets, (place) => targets[place].dataset.tip);
    }
    addEventListener("scroll", () => (tip.again ? tip.again() : tip.hide()), { passive: true });
  }

  function matrix() {
    const source = document.getElementById("matrix");
    if (!source) return;
    const told = JSON.parse(source.textContent);
    const table = [...document.querySelectorAll("[data-cells] td > span")];
    const wide = told.b.length;
    const choice = document.querySelector("[data-measure]");
    const names = Object.keys(told.measures);
    let shown = choice ? choice.value : names[0];
    const where = (place) => [Math.floor(place / wide), place % wide];
    const words = (place) => {
      const [i, j] = where(place);
      const lines = [`${told.a[i]} and ${told.b[j]}`];
      for (const name of [shown, ...names.filter((one) => one !== shown)]) {
        lines.push(`${told.measures[name].title} ${told.measures[name].shown[i][j]}`);
      }
      return lines.join("\n");
    };
    const pictures = [...document.querySelectorAll(".c-heat")].map((svg) => ({
      svg,
      cells: [...svg.querySelectorAll(".c-cells > g")],
      dots: [...svg.querySelectorAll(".c-best")],
    }));
    for (const { svg, cells } of pictures) pointing(svg, cells, words, wide);

    const paint = ({ svg, cells, dots }, { title, steps, short, best }) => {
      svg.setAttribute("aria-label", `Heat map of ${title}`);
      cells.forEach((cell, place) => {
        const [i, j] = where(place);
        cell.setAttribute("class", steps[i][j] < 0 ? "q-none" : `q${steps[i][j]}`);
        const text = cell.querySelector("text");
        if (text) text.textContent = short[i][j];
      });
      const matched = best.flatMap((j, i) => (j === null ? [] : [cells[i * wide + j]]));
      dots.forEach((dot, i) => {
        dot.toggleAttribute("hidden", i >= matched.length);
        if (i >= matched.length) return;
        const box = matched[i].querySelector("rect");
        const size = Number(box.getAttribute("width"));
        dot.setAttribute("cx", Number(box.getAttribute("x")) + 0.84 * size);
        dot.setAttribute("cy", Number(box.getAttribute("y")) + 0.16 * size);
      });
    };
    const draw = () => {
      const layer = told.measures[shown];
      document.querySelector("[data-measure-title]").textContent = layer.title;
      document.querySelector("[data-low]").textContent = layer.ends[0];
      document.querySelector("[data-high]").textContent = layer.ends[1];
      table.forEach((cell, place) => {
        const [i, j] = where(place);
        cell.textContent = layer.shown[i][j];
      });
      for (const picture of pictures) paint(picture, layer);
    };
    if (choice) choice.addEventListener("change", () => { shown = choice.value; tip.hide(); draw(); });
  }

  addEventListener("DOMContentLoaded", () => { theme(); tables(); copying(); charts(); matrix(); folds(); });
})();
