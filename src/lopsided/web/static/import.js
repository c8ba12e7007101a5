// Files that are dropped on the page, with a bar while they are sent.
const form = document.getElementById("drop"), field = document.getElementById("files");
const bar = document.getElementById("sending"), refused = document.getElementById("refused");

for (const kind of ["dragenter", "dragover"]) document.addEventListener(kind, event => {
  event.preventDefault();
  form.classList.add("over");
});
for (const kind of ["dragleave", "drop"]) document.addEventListener(kind, event => {
  event.preventDefault();
  if (kind === "drop" || event.relatedTarget === null) form.classList.remove("over");
});
document.addEventListener("drop", event => {
  if (event.dataTransfer.files.length) send(event.dataTransfer.files);
});
field.addEventListener("change", () => { if (field.files.length) send(field.files); });

function send(files) {
  const data = new FormData();
  data.append("csrf", form.elements.csrf.value);
  for (const file of files) data.append("files", file);
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.setRequestHeader("accept", "application/json");
  request.setRequestHeader("x-csrf-token", form.elements.csrf.value);
  request.responseType = "json";
  bar.hidden = false;
  refused.hidden = true;
  request.upload.addEventListener("progress", event => {
    if (event.lengthComputable) bar.value = event.loaded / event.total;
  });
  request.addEventListener("loadend", () => {
    if (request.status === 200) { location.href = request.response.next; return; }
    bar.hidden = true;
    refused.textContent = request.response?.error ?? "The file could not be sent. Is the server still there?";
    refused.hidden = false;
  });
  request.send(data);
}
