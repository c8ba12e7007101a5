
// The page is whole without this script: it only hides the rows that lack the words typed.
const field = document.querySelector(".tools input"), told = document.querySelector(".tools output");
const rows = [...document.querySelectorAll("li[data-rank]")], all = told.textContent;
const texts = rows.map(row => row.textContent.toLowerCase());
let waiting = 0;
document.querySelector(".tools").hidden = false;
field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(() => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let n = 0;
  rows.forEach((row, i) => {
    row.hidden = !words.every(word => texts[i].includes(word));
    n += !row.hidden;
  });
  told.textContent = words.length ? `${n.toLocaleString("en")} with these words` : all;
}, 120); });
