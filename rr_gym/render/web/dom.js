"use strict";

// Small helpers of all scripts; none of them knows what a page shows.
const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function svgElement(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

function htmlElement(name, className, parent, text = "") {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== "") element.textContent = text;
  parent?.append(element);
  return element;
}

// What is written again although it has not changed costs a page its time: these write changes alone.
function setText(element, text) {
  if (element.shownText !== text) element.textContent = element.shownText = text;
}

function setClass(element, name) {
  if (element.shownClass !== name) element.setAttribute("class", (element.shownClass = name));
}

function setStyle(element, name, value) {
  const shown = (element.shownStyle ??= {});
  if (shown[name] !== value) element.style[name] = shown[name] = value;
}
