import type { DocumentsPanel } from '../documents/index.js';
import type { PicturesPanel } from '../pictures/index.js';
import type { SignInPanel } from '../sign-in/index.js';
import type { PanelPart, ViewContext, ViewProps } from '../../ui/view.js';
import type { DocumentWords, InDocumentState } from './comments-in-document.js';
import type { DocumentFeedbackState } from './document-feedback.js';
import type { FeedbackEntry } from './feedback-entry.js';

export interface FeedbackPanel extends PanelPart {
  readonly state: {
    /** What guests said about the open document. */
    readonly documentFeedback: DocumentFeedbackState;
    /** The comments that are shown in the open document. */
    readonly inDocument: InDocumentState;
  };
  readonly context: {
    readonly actions: {
      /** Marks a comment as done, or as open again. Sent when the service can be reached. */
      markFeedback(id: string, isDone: boolean): Promise<void>;
      /** Replies to a comment. Sent when the service can be reached. */
      replyToFeedback(id: string, text: string): Promise<void>;
      /** Notes that the list was shown. */
      markFeedbackSeen(): Promise<void>;
      /** Goes to the place of a comment in the document. @returns false when the app cannot */
      goToFeedback(entry: FeedbackEntry): Promise<boolean>;
      /** Shows the comments that are not done in the document. */
      showInDocument(words: DocumentWords): Promise<void>;
      /** Removes them from the document. */
      removeFromDocument(words: DocumentWords): Promise<void>;
    };
  };
}

/** The parts that the views of this feature need. */
export type FeedbackNeeds = FeedbackPanel & DocumentsPanel & PicturesPanel & SignInPanel;
export type Props = ViewProps<FeedbackNeeds>;
export type Context = ViewContext<FeedbackNeeds>;
