import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import type { PartSources } from '../../ui/view.js';
import type { OpenDocumentWatch } from '../documents/index.js';
import { CommentsInDocument } from './comments-in-document.js';
import { DocumentFeedback } from './document-feedback.js';
import { FeedbackOutbox } from './feedback-outbox.js';
import type { FeedbackPanel } from './panel.js';

export function startFeedback(
  { clock, records, documentComments }: Pick<Host, 'clock' | 'records' | 'documentComments'>,
  connection: Pick<
    Connection,
    'requests' | 'capabilities' | 'api' | 'client' | 'account' | 'owner' | 'session'
  >,
  openDocument: Pick<OpenDocumentWatch, 'state' | 'loadAnswers'>,
): {
  readonly feedback: { restore(records: ReadonlyMap<string, string>): void };
  readonly panel: PartSources<FeedbackPanel>;
} {
  const shared = { ...connection, endpoint: `${connection.api}/feedback`, records };
  const outbox = new FeedbackOutbox({
    ...shared,
    onNoPermission: () => {
      feedback.refuse();
    },
    onSent: (id, sent) => {
      feedback.confirm(id, sent);
    },
  });
  const feedback: DocumentFeedback = new DocumentFeedback({
    ...shared,
    baseUrl: connection.client.baseUrl,
    clock,
    outbox,
    onApprovals: () => {
      openDocument.loadAnswers();
    },
  });
  const inDocument = new CommentsInDocument({ host: documentComments, records });
  openDocument.state.subscribe((open) => {
    inDocument.setFront(open?.document ?? null);
    feedback.setDocument(open?.document.documentId ?? null);
  });
  connection.session.state.subscribe(({ kind }) => {
    if (kind === 'signed-in') {
      feedback.start();
    } else {
      feedback.stop();
    }
  });
  return {
    feedback: {
      restore(others) {
        outbox.restore(others);
        feedback.restore(others);
        inDocument.restore(others);
      },
    },
    panel: {
      state: {
        documentFeedback: feedback.state,
        inDocument: inDocument.state,
      },
      context: {
        actions: {
          markFeedback: (id, isDone) => outbox.add(id, { isDone }),
          replyToFeedback: (id, text) => outbox.add(id, { reply: text }),
          markFeedbackSeen: () => feedback.markSeen(),
          goToFeedback: (entry) => inDocument.goTo(entry),
          showInDocument: (words) => inDocument.show(feedback.state.get().entries, words),
          removeFromDocument: (words) => inDocument.remove(feedback.state.get().entries, words),
        },
      },
    },
  };
}
