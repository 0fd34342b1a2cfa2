// The courses with their pictures, one of which is chosen.

function makeCourses(courses) {
  for (const course of courses) {
    const label = htmlElement("label", "course", byId("courses"));
    const choice = htmlElement("input", "", label);
    Object.assign(choice, { type: "radio", name: "course", value: course.id });
    choice.addEventListener("change", () => change({ course: course.id }));
    const picture = htmlElement("img", "", label);
    Object.assign(picture, { alt: "", loading: "lazy", src: pictureOf(course.id), width: 120, height: 120 });
    htmlElement("b", "", label, course.name);
    htmlElement("small", "", label, courseWords(course));
  }
}

const pictureOf = (id) => `picture/${encodeURIComponent(id)}.svg`;

function courseWords({ flags, players: [fewest, most], about }) {
  const { length, difficulty } = about;
  const robots = fewest === most ? `${most} robots` : `${fewest} to ${most} robots`;
  return [plural(flags, "flag"), robots, length && `${length} race`, difficulty].filter(Boolean).join(", ");
}

function showCourse(id) {
  for (const choice of document.querySelectorAll("input[name=course]")) {
    choice.checked = choice.value === id;
    choice.parentNode.classList.toggle("chosen", choice.checked);
  }
}

byId("find").addEventListener("input", () => {
  const wanted = byId("find").value.trim().toLowerCase();
  for (const label of document.querySelectorAll(".course")) {
    label.hidden = !label.textContent.toLowerCase().includes(wanted);
  }
});
byId("find").addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
