/* A part of its own, loaded when the viewer opens. */
export { default } from 'photoswipe';
