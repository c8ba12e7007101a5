// On a narrow screen the list of pages scrolls: the page that is shown should be in sight.
const nav = document.querySelector(".top nav"), current = nav?.querySelector("[aria-current]");
if (current) nav.scrollLeft = current.offsetLeft - (nav.clientWidth - current.clientWidth) / 2;
