import { INDESIGN_NUMBERS, type InDesignModule } from './indesign-module.js';

/**
 * A member of an enumeration to be handed to InDesign: what its module has, if that is a number or a word, else the
 * documented number. Some versions give out opaque objects that they do not take back.
 */
export function member<Name extends keyof typeof INDESIGN_NUMBERS>(
  indesign: InDesignModule,
  enumeration: Name,
  name: keyof (typeof INDESIGN_NUMBERS)[Name] & string,
): unknown {
  const given = indesign[enumeration]?.[name];
  return typeof given === 'number' || (typeof given === 'string' && given !== '')
    ? given
    : INDESIGN_NUMBERS[enumeration][name];
}
