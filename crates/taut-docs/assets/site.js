"use strict";
(() => {
  const root = document.body.dataset.root;
  const input = document.getElementById("search");
  const found = document.getElementById("found");
  const contents = document.getElementById("contents");
  const index = window.TAUT_INDEX || [];

  // Every word must occur; words in a title count ten times.
  const score = (entry, words) => {
    const title = entry.title.toLowerCase();
    const text = entry.text.toLowerCase();
    let sum = 0;
    for (const word of words) {
      const hits = text.split(word).length - 1 + 10 * (title.split(word).length - 1);
      if (hits === 0) return 0;
      sum += Math.log(1 + hits);
    }
    return sum;
  };

  const excerpt = (text, word) => {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
    return (at > 0 ? "…" : "") + text.slice(at, at + 120) + "…";
  };

  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.replaceChildren();
    contents.hidden = words.length > 0;
    if (words.length === 0) return;
    const hits = index.map((entry) => [score(entry, words), entry]).filter(([s]) => s > 0);
    hits.sort((a, b) => b[0] - a[0]);
    for (const [, entry] of hits.slice(0, 12)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = root + entry.path;
      link.textContent = entry.title;
      const text = document.createElement("small");
      text.textContent = excerpt(entry.text, words[0]);
      item.append(link, text);
      found.append(item);
    }
    if (hits.length === 0) found.append(Object.assign(document.createElement("li"), { textContent: "Nothing found." }));
  });
})();
