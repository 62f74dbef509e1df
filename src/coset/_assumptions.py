"""What theorems ask of a world: the names that worlds, objectives and claims share."""

from __future__ import annotations

from ._core import Assumption

PAIRED = Assumption("paired", "every observation comes with a positive")
LABELLED = Assumption("labelled", "every observation comes with a label")
INDEPENDENT_NEGATIVES = Assumption("independent-negatives", "unrelated observations are drawn too")

SPHERE = Assumption("sphere", "latents lie on a unit sphere")
CONVEX = Assumption("convex-body", "latents fill a convex body")
UNBOUNDED = Assumption("unbounded", "latents may lie anywhere")

UNIFORM = Assumption("uniform-marginal", "latents are uniform on their space")
INJECTIVE = Assumption("injective-mixing", "different latents look different")

VMF = Assumption("vmf-conditional", "positives follow a von Mises-Fisher law around their latent")
ANISOTROPIC = Assumption(
    "anisotropic-conditional",
    "positives deviate from their latent by a normal law with a precision of each coordinate",
)
CONTENT_SHARED = Assumption("content-shared", "a block of latents is the same in both views")
STYLE_CHANGES = Assumption("style-changes", "every latent outside that block changes now and then")
CLUSTERED = Assumption("clustered", "latents gather around one centre for each label")
SPANNING_CENTRES = Assumption(
    "spanning-centres", "the centres of the labels span the space, with one to spare"
)
DIVERSE_LABELS = Assumption(
    "diverse-labels", "there are more labels than dimensions, and their differences span them all"
)


def l_alpha(alpha: float) -> Assumption:
    """Positives have density exp(-Σ|z̃_k - z_k|^alpha / scale^alpha), cut off at the space.

    Example:
        >>> l_alpha(1).name
        'l1-conditional'
    """
    return Assumption(
        f"l{alpha:g}-conditional",
        f"the log density of positives falls with each coordinate's distance from the latent, to "
        f"the power of {alpha:g}",
    )


TORUS = Assumption("torus", "latents are angles, each on a circle of its own")
VMF_CLUSTERS = Assumption(
    "vmf-clusters", "latents follow a von Mises-Fisher law around the centre of their label"
)
