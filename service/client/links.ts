/** Copies an address or a secret from beside the button. */
export function copyLinks(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const field = document.getElementById(button.dataset['copy'] ?? '');
    button.addEventListener('click', () => {
      if (field === null) {
        return;
      }
      if (field instanceof HTMLInputElement) {
        field.select();
      }
      const text = field instanceof HTMLInputElement ? field.value : field.textContent;
      void navigator.clipboard.writeText(text).then(() => {
        button.textContent = button.dataset['copied'] ?? '';
      });
    });
  }
}

/** Writes the days of a link as they are at the reader's place. An empty field stays empty. */
export function showLocalDays(): void {
  for (const field of document.querySelectorAll<HTMLInputElement>('input[data-time]')) {
    const time = new Date(field.dataset['time'] ?? '');
    const inForm = (name: string): HTMLInputElement | undefined =>
      field.form?.querySelector<HTMLInputElement>(`input[name="${name}"]`) ?? undefined;
    const [shown, offset] = [inForm(`${field.name}-shown`), inForm(`${field.name}-offset`)];
    if (Number.isNaN(time.getTime()) || shown === undefined || offset === undefined) {
      continue;
    }
    const pad = (part: number): string => String(part).padStart(2, '0');
    const day = `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
    if (field.value !== '' && field.value === shown.value) {
      field.value = day;
      shown.value = day;
    }
    offset.value = String(time.getTimezoneOffset());
  }
}
