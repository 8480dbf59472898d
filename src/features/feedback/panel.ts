import type { DocumentsPanel } from '../documents/index.js';
import type { SignInPanel } from '../sign-in/index.js';
import type { PanelPart, ViewContext, ViewProps } from '../../ui/view.js';
import type { DocumentFeedbackState } from './document-feedback.js';

export interface FeedbackPanel extends PanelPart {
  readonly state: {
    /** What guests said about the open document. */
    readonly documentFeedback: DocumentFeedbackState;
  };
  readonly context: {
    readonly actions: {
      /** Marks a comment as done, or as open again. Sent when the service can be reached. */
      markFeedback(id: string, isDone: boolean): Promise<void>;
      /** Replies to a comment. Sent when the service can be reached. */
      replyToFeedback(id: string, text: string): Promise<void>;
      /** Notes that the list was shown. */
      markFeedbackSeen(): Promise<void>;
    };
  };
}

/** The parts that the views of this feature need. */
export type FeedbackNeeds = FeedbackPanel & DocumentsPanel & SignInPanel;
export type Props = ViewProps<FeedbackNeeds>;
export type Context = ViewContext<FeedbackNeeds>;
