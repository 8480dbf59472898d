/**
 * fast-check, as the tests use it. By itself it makes no list longer than ten, whatever greatest length it is given;
 * here a list whose greatest length is given gets that long.
 * @packageDocumentation
 */
import fc from 'fast-check';

fc.configureGlobal({ ...fc.readConfigureGlobal(), defaultSizeToMaxWhenMaxSpecified: true });

export default fc;
