import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

/** Shows the forms for passkeys where the browser supports them, and sends what the passkey returned. */
export function usePasskeys(): void {
  if (!browserSupportsWebAuthn()) {
    return;
  }
  for (const missing of document.querySelectorAll<HTMLElement>('[data-passkeys="missing"]')) {
    missing.hidden = true;
  }
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void run(form, false);
    });
    if (form.dataset['autofill'] === 'yes') {
      void browserSupportsWebAuthnAutofill().then((isSupported) =>
        isSupported ? run(form, true) : undefined,
      );
    }
  }
  // A pending request would keep the browser from going back to this page quickly.
  addEventListener('pagehide', () => {
    WebAuthnAbortService.cancelCeremony();
  });
}

async function run(form: HTMLFormElement, isAutofill: boolean): Promise<void> {
  const field = form.querySelector<HTMLInputElement>('input[name="passkey"]');
  const problem = form.querySelector<HTMLElement>('.problem');
  try {
    const credential = await request(form, isAutofill);
    if (field !== null) {
      field.value = JSON.stringify(credential);
      form.submit();
    }
  } catch (error) {
    const isCancelled =
      error instanceof Error && ['AbortError', 'NotAllowedError'].includes(error.name);
    if (problem !== null && !isAutofill) {
      problem.hidden = isCancelled;
    }
  }
}

function request(form: HTMLFormElement, useBrowserAutofill: boolean): Promise<unknown> {
  const options: unknown = JSON.parse(form.dataset['options'] ?? '');
  return form.dataset['passkey'] === 'create'
    ? startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })
    : startAuthentication({
        optionsJSON: options as PublicKeyCredentialRequestOptionsJSON,
        useBrowserAutofill,
      });
}
