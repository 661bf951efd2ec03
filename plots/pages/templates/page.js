"use strict";
(() => {
{% for part in ("elements", "colours", "tables", "marks", "units", "frame", "figure", "drawing", "matrix") %}{% include "script/" ~ part ~ ".js" %}

{% endfor %}})();
