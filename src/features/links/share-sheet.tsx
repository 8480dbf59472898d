import type { VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { toCwError, type CwError } from '../../util/errors.js';
import { SHARE_SCOPE } from '../../account/service-access.js';
import type { ShareLink, ShareTarget } from './share-links.js';
import { Choice } from '../../ui/choice.js';
import { Button, Buttons, CopyButton, FileName, SheetHead, TextField } from '../../ui/controls.js';
import type { Context, LinksNeeds, Props } from './panel.js';
import { Notice } from '../../ui/notice.js';
import { AllowInBrowser } from '../sign-in/index.js';
import { DEFAULT_DAYS, type Shared } from './share-target.js';
import type { ViewContext } from '../../ui/view.js';

/** How long a link may work, in days. */
const DAYS = [1, 7, DEFAULT_DAYS, 90] as const;

/** Opens the sheet that shares photos. */
export function openShareSheet(
  { change }: Pick<ViewContext<LinksNeeds>, 'change'>,
  shared: Shared,
): void {
  change({ sheet: (props) => <ShareSheet {...props} {...shared} />, selection: null });
}

/** Makes a link to photos, and lists the links that there are. It takes the place of the list. */
function ShareSheet({ context, state, target, name }: Props & Shared): VNode {
  const { strings, change, on } = context;
  const count = 'uploads' in target ? target.uploads.length : 1;
  return (
    <div class="sheet scroll">
      <SheetHead
        on={on}
        title={strings.share}
        label={strings.done}
        press={() => {
          change({ sheet: null });
        }}
      />
      {count > 1 ? (
        <div class="text">{strings.count('receiptCount', count)}</div>
      ) : (
        <FileName name={name} class="sheet-name" />
      )}
      {state.sharing === 'needs-permission' ? (
        <AllowInBrowser context={context} words={strings.sharePermission} scope={SHARE_SCOPE} />
      ) : (
        <Links {...{ context, target }} />
      )}
    </div>
  );
}

interface LinksProps {
  readonly context: Context;
  readonly target: ShareTarget;
}

function Links({ context, target }: LinksProps): VNode {
  const { strings, actions, on } = context;
  const [links, setLinks] = useState<readonly ShareLink[]>([]);
  const [error, setError] = useState<CwError | null>(null);
  useLayoutEffect(() => {
    let isShown = true;
    actions.shareLinks(target).then(
      (found) => {
        if (isShown) {
          setLinks(found);
        }
      },
      (thrown: unknown) => {
        if (isShown) {
          setError(toCwError(thrown, 'CW-901', 'the links could not be read'));
        }
      },
    );
    return () => {
      isShown = false;
    };
  }, []);
  return (
    <>
      <NewLink
        {...{ context, target }}
        onCreated={(link) => {
          setLinks((known) => [link, ...known]);
        }}
      />
      {error && <div class="detail">{strings.errors[error.code]}</div>}
      {links.length > 0 && <div class="sheet-title">{strings.existingLinks}</div>}
      {links.map((link) => (
        <ExistingLink
          key={link.id}
          {...{ context, link }}
          revoke={async () => {
            await actions.revokeShareLink(link.id);
            setLinks((known) => known.filter(({ id }) => id !== link.id));
          }}
        />
      ))}
      {error && (
        <Buttons>
          <Button
            on={on}
            kind="action"
            label={strings.tryAgain}
            press={async () => {
              setLinks(await actions.shareLinks(target));
              setError(null);
            }}
          />
        </Buttons>
      )}
    </>
  );
}

function NewLink({
  context,
  target,
  onCreated,
}: LinksProps & { readonly onCreated: (link: ShareLink) => void }): VNode {
  const { strings, actions, host, on } = context;
  const [days, setDays] = useState<number>(DEFAULT_DAYS);
  const [password, setPassword] = useState('');
  const [isCreated, setCreated] = useState(false);
  return (
    <>
      <Choice
        context={context}
        options={DAYS.map((count) => ({ value: count, label: strings.count('shareDays', count) }))}
        value={days}
        choose={setDays}
      />
      <TextField name={strings.sharePassword} value={password} onText={setPassword} />
      <Button
        on={on}
        kind="cta"
        wide
        label={strings.createLink}
        press={async () => {
          setCreated(false);
          const secret = password.trim();
          const link = await actions.createShareLink(target, {
            days,
            ...(secret === '' ? {} : { password: secret }),
          });
          setPassword('');
          // Listed first: where copying fails, the link is there to be copied again.
          onCreated(link);
          await host.copyText(link.url);
          setCreated(true);
        }}
      />
      {isCreated && <Notice mark="success" title={strings.linkCopied} />}
    </>
  );
}

function ExistingLink({
  context: { strings, host, clock, on },
  link,
  revoke,
}: {
  readonly context: Context;
  readonly link: ShareLink;
  readonly revoke: () => Promise<void>;
}): VNode {
  const [isRevoking, setRevoking] = useState(false);
  const terms = [
    ...(link.expires === null
      ? []
      : [strings.fill('shareUntil', { date: strings.date(link.expires) })]),
    ...(link.hasPassword ? [strings.withPassword] : []),
  ];
  return (
    <div class="share-link">
      <div class="detail">{terms.join(' · ')}</div>
      {isRevoking ? (
        <Buttons>
          <Button on={on} kind="action" label={strings.revokeNow} press={revoke} />
          <Button
            on={on}
            kind="action"
            label={strings.cancel}
            press={() => {
              setRevoking(false);
            }}
          />
        </Buttons>
      ) : (
        <Buttons>
          <CopyButton
            {...{ on, clock }}
            kind="action"
            label={strings.copyLink}
            copied={strings.copied}
            copy={() => host.copyText(link.url)}
          />
          <Button
            on={on}
            kind="action"
            label={strings.revoke}
            press={() => {
              setRevoking(true);
            }}
          />
        </Buttons>
      )}
    </div>
  );
}
