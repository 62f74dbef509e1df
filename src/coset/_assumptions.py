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

ORTHOGONAL_COLUMNS = Assumption(
    "orthogonal-columns", "the columns of the mixing's Jacobian are orthogonal everywhere"
)
INDEPENDENT = Assumption("independent-latents", "latents are independent of one another")
CONDITIONALLY_INDEPENDENT = Assumption(
    "conditionally-independent", "latents are independent of one another given the label"
)
EXPONENTIAL_FAMILY = Assumption(
    "exponential-family",
    "the log density of a latent given the label is a sum of fixed statistics of it, weighted by "
    "numbers of the label",
)
MODULATED = Assumption(
    "modulated",
    "labels weight the statistics of latents in as many independent ways as there are statistics",
)
VARIABLE = Assumption(
    "variable-conditional",
    "labels shift and scale latents in twice as many independent ways as there are latents",
)
AUTOREGRESSIVE = Assumption(
    "autoregressive", "a positive is the next moment, where each latent depends on its own past"
)
NOT_NORMAL = Assumption(
    "not-normal", "what a moment adds to the past of a latent does not follow a normal law"
)
FEW_CHANGES = Assumption(
    "few-changes",
    "a positive draws some latents anew, any of them but never all, and shares the others",
)

EXCHANGEABLE = Assumption(
    "exchangeable",
    "samples of an environment are independent given its parameters, which are drawn anew for each",
)
INDEPENDENT_MECHANISMS = Assumption(
    "independent-mechanisms",
    "parameters of a cause and of its mechanism are drawn independently of each other",
)
ACYCLIC = Assumption("acyclic", "no variable causes itself, through others either")
FAITHFUL = Assumption("faithful", "variables are independent only where the graph says so")

LINEAR = Assumption("linear-mixing", "the mixing is linear")
ONE_NORMAL = Assumption("at-most-one-normal", "at most one latent follows a normal law")
NORMAL_LATENTS = Assumption("normal-latents", "latents follow a standard normal law")
EQUAL_NOISE = Assumption("equal-noise", "normal noise has the same variance in every column")
COLUMN_NOISE = Assumption("column-noise", "normal noise has a variance of its own in each column")
LINEAR_DYNAMICS = Assumption(
    "linear-dynamics", "states follow a linear system that independent normal controls drive"
)
INVERTIBLE_OUTPUT = Assumption(
    "invertible-output", "no two states look the same, and controls move states in as many ways"
)
DIVERSE_VARIANCES = Assumption(
    "diverse-variances",
    "environments change the variances of all controls, of no two in the same proportion",
)
HIDDEN_REGIMES = Assumption(
    "hidden-regimes", "a hidden state that stays for a while decides the variances of latents"
)
