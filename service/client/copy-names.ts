/** Lets a button copy the text of the first field beside it. */
export function copyNames(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy[hidden]')) {
    button.hidden = false;
    button.addEventListener('click', () => {
      const field = button.parentElement?.querySelector('textarea');
      if (field !== null && field !== undefined) {
        field.select();
        void navigator.clipboard.writeText(field.value).then(() => {
          button.textContent = button.dataset['done'] ?? '';
        });
      }
    });
  }
}
