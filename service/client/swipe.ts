/* A separate part, loaded when the viewer opens. */
export { default } from 'photoswipe';
