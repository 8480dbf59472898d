/** Lets buttons copy and print the recovery codes. */
export function keepRecoveryCodes(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-codes]')) {
    button.addEventListener('click', () => {
      if (button.dataset['codes'] === 'print') {
        print();
        return;
      }
      const codes = [...document.querySelectorAll('.codes li')].map((code) => code.textContent);
      void navigator.clipboard.writeText(codes.join('\n')).then(() => {
        button.textContent = button.dataset['copied'] ?? '';
      });
    });
  }
}
