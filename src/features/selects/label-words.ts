import type { XmpMarks } from '../../../packages/image-metadata/index.js';
import type { Language } from '../../ui/i18n/language.js';
import { LABEL_COLOURS, type LabelColour, type Wanted } from './client-selects.js';

/**
 * What `xmp:Label` has for each colour: the word of the app's own set of labels in its language, which apps compare as a
 * text. In the order of {@link LABEL_COLOURS}.
 */
const WORDS: Readonly<Record<Language, readonly string[]>> = {
  en: ['Red', 'Yellow', 'Green', 'Blue', 'Purple'],
  de: ['Rot', 'Gelb', 'Grün', 'Blau', 'Lila'],
  fr: ['Rouge', 'Jaune', 'Vert', 'Bleu', 'Violet'],
  es: ['Rojo', 'Amarillo', 'Verde', 'Azul', 'Púrpura'],
  'pt-BR': ['Vermelho', 'Amarelo', 'Verde', 'Azul', 'Roxo'],
  ja: ['レッド', 'イエロー', 'グリーン', 'ブルー', 'パープル'],
};

/** What is written into a file, and whether something of the photographer stays although clients answered otherwise. */
export interface MarkPlan {
  readonly marks: XmpMarks;
  readonly isKept: boolean;
}

/**
 * Ratings of the photographer only rise, and labels and rejections stay, unless they are replaced.
 * @param present  what the file has
 */
export function planMarks(
  present: XmpMarks,
  wanted: Wanted,
  { isReplacing, language }: { readonly isReplacing: boolean; readonly language: Language },
): MarkPlan {
  const rating = present.rating ?? 0;
  const differs = wanted.rating !== null && wanted.rating !== rating;
  const rises = differs && (isReplacing || (rating >= 0 && wanted.rating > rating));
  const has = present.label ?? '';
  const labels = wanted.label !== null && colourOf(has) !== wanted.label;
  const setsLabel = labels && (isReplacing || has === '');
  return {
    marks: {
      rating: rises ? wanted.rating : null,
      label: setsLabel ? wordOf(wanted.label, language) : null,
    },
    isKept: (differs && !rises) || (labels && !setsLabel),
  };
}

function wordOf(colour: LabelColour, language: Language): string {
  return WORDS[language][LABEL_COLOURS.indexOf(colour)] ?? '';
}

/** The colour of a word in any language; null for another text. */
function colourOf(word: string): LabelColour | null {
  for (const words of Object.values(WORDS)) {
    const colour = LABEL_COLOURS[words.indexOf(word)];
    if (colour) {
      return colour;
    }
  }
  return null;
}
