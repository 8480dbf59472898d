/** Lets the browser save a text as a file. A browser does not report whether the user kept it. */
export function downloadText(parent: HTMLElement, name: string, text: string): void {
  const link = document.createElement('a');
  link.setAttribute('href', `data:application/octet-stream,${encodeURIComponent(text)}`);
  link.setAttribute('download', name);
  link.setAttribute('style', 'display: none');
  parent.appendChild(link);
  link.click();
  link.remove();
}
