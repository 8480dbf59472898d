import type { VNode } from 'preact';
import { type ConnectionStatus, connectionStatus } from '../features/uploads/index.js';
import type { Translations } from '../ui/i18n/translations.js';
import { openMenu, type MenuEntry } from '../ui/menu-layer.js';
import { VisuallyHidden, IconButton } from '../ui/controls.js';
import type { PanelProps } from './view.js';
import { hasAutomaticUploads } from './automatic.js';
import { openDeviceSheet } from '../features/device/index.js';
import { openSelects } from '../features/selects/index.js';
import type { StatusMark } from '../ui/notice.js';

/** The account and the state, in two lines of fixed height, with the menu of the account. */
export function Header({ context, state }: PanelProps): VNode {
  const { strings, on } = context;
  const { account } = state;
  const status = connectionStatus(state);
  const { mark, word } = wordOf(strings, status);
  const second = status === 'connected' ? (account?.workspace.name ?? '') : word;
  return (
    <div class="head">
      <div class={`dot ${mark}`}>
        <VisuallyHidden text={word} />
      </div>
      <div class="whose">
        <div class="whose-name">{account?.name ?? word}</div>
        {account && <div class={`whose-place ${mark}`}>{second}</div>}
      </div>
      <IconButton
        on={on}
        icon="down"
        label={strings.accountMenu}
        openMenu={(anchor) => {
          openMenu(context, anchor, accountEntries({ context, state }, status));
        }}
      />
    </div>
  );
}

function accountEntries(
  { context, state }: PanelProps,
  status: ConnectionStatus,
): readonly MenuEntry[] {
  const { strings, actions, signIn, host, diagnostics, change } = context;
  return [
    { label: strings.photosInBrowser, press: () => actions.openPhotos() },
    ...(status !== 'replaced' && hasAutomaticUploads({ context, state })
      ? [
          {
            label: strings.automatic,
            press: () => {
              change({ sheet: 'automatic' });
            },
          },
        ]
      : []),
    ...(status !== 'replaced' && state.selects.isOffered
      ? [
          {
            label: strings.getSelects,
            press: () => {
              openSelects(context);
            },
          },
        ]
      : []),
    // The sign-in belongs to the copy that owns the list.
    ...(status === 'replaced'
      ? []
      : [
          { label: strings.anotherAccount, press: () => signIn.start() },
          {
            label: strings.thisComputerMenu,
            press: () => {
              openDeviceSheet(context);
            },
          },
        ]),
    {
      label: strings.copyDiagnostics,
      press: async () => {
        try {
          await host.copyText(diagnostics());
        } catch (error) {
          change({ help: 'diagnostics' });
          throw error;
        }
        change({ outcome: { title: strings.copied, error: null } });
      },
    },
    {
      label: strings.help,
      press: () => {
        change({ help: 'open' });
      },
    },
    { label: strings.disconnect, press: () => context.disconnect() },
  ];
}

function wordOf(
  strings: Translations,
  status: ConnectionStatus,
): { readonly mark: StatusMark; readonly word: string } {
  switch (status) {
    case 'connected':
      return { mark: 'success', word: strings.connected };
    case 'paused':
      return { mark: 'paused', word: strings.pausedTitle };
    case 'offline':
      return { mark: 'warning', word: strings.offlineTitle };
    case 'trouble':
      return { mark: 'warning', word: strings.troubleTitle };
    case 'full':
      return { mark: 'warning', word: strings.fullTitle };
    case 'replaced':
      return { mark: 'error', word: strings.twiceTitle };
  }
}
