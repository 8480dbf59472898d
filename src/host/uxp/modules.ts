import type { InDesignModule } from './indesign-module.js';
import type { PhotoshopModule } from './photoshop-module.js';
import type { PremiereModule } from './premiere-module.js';
import type { UxpFs, UxpModule, UxpOs } from './uxp-module.js';

/** The host's modules of this app, as far as the plugin uses them. No app has the module of another one. */
export interface UxpModules {
  readonly uxp: UxpModule;
  readonly fs: UxpFs;
  readonly os: UxpOs;
  readonly photoshop?: PhotoshopModule;
  readonly indesign?: InDesignModule;
  readonly premierepro?: PremiereModule;
}
