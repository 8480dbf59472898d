/** Marks the page, so that style sheets can show what needs a script. */
export function markScripted(): void {
  document.documentElement.classList.add('has-script');
}
