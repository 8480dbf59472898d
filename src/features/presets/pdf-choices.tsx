import type { VNode } from 'preact';
import type { PageSelection, PdfSettings } from '../../host/document-export.js';
import { isPageRange, MAX_PAGE_RANGE_LENGTH } from '../../host/page-range.js';
import { Choice } from '../../ui/choice.js';
import { TextField } from '../../ui/controls.js';
import { Field } from '../../ui/field.js';
import type { Context } from './panel.js';
import { PDF_LAYOUT_NAMES, PDF_MARK_NAMES } from './preset-name.js';
import { PDF_LAYOUTS, PDF_MARKS } from './preset.js';

/** As users write it in InDesign. */
const EXAMPLE = '3-7, 12';

const PAGES = { all: 'allPages', current: 'currentPage', range: 'pageRange' } as const;

/** Which pages a PDF has, how they are laid out, and its marks and bleed. */
export function PdfChoices({
  context,
  pdf,
  change,
  isTried,
}: {
  readonly context: Context;
  readonly pdf: PdfSettings;
  readonly change: (pdf: PdfSettings) => void;
  /** Whether a problem of an empty field is shown. */
  readonly isTried: boolean;
}): VNode {
  const { strings } = context;
  const { pages } = pdf;
  const setPages = (selection: PageSelection): void => {
    change({ ...pdf, pages: selection });
  };
  return (
    <>
      <Choice
        context={context}
        name={strings.pages}
        options={(['all', 'current', 'range'] as const).map((kind) => ({
          value: kind,
          label: strings[PAGES[kind]],
        }))}
        value={pages.kind}
        choose={(kind) => {
          setPages(kind === 'range' ? { kind, text: '' } : { kind });
        }}
      />
      {pages.kind === 'range' && (
        <Field label={strings.pageRange}>
          <TextField
            name={EXAMPLE}
            value={pages.text}
            onText={(text) => {
              setPages({ kind: 'range', text: text.slice(0, MAX_PAGE_RANGE_LENGTH) });
            }}
          />
        </Field>
      )}
      {pages.kind === 'range' && (isTried || pages.text !== '') && !isPageRange(pages.text) && (
        <div class="field-problem">{strings.fill('pageRangeProblem', { example: EXAMPLE })}</div>
      )}
      <Choice
        context={context}
        name={strings.pdfLayout}
        options={PDF_LAYOUTS.map((value) => ({ value, label: strings[PDF_LAYOUT_NAMES[value]] }))}
        value={pdf.layout}
        choose={(layout) => {
          change({ ...pdf, layout });
        }}
      />
      <Choice
        context={context}
        name={strings.marksAndBleed}
        options={PDF_MARKS.map((value) => ({ value, label: strings[PDF_MARK_NAMES[value]] }))}
        value={pdf.marks}
        choose={(marks) => {
          change({ ...pdf, marks });
        }}
      />
    </>
  );
}
