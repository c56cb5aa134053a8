"""Laws with exact tails: Gaussian errors, (generalized) chi-square, binomial proportions."""

from bounds.models.laws.clopper_pearson import Proportion, clopper_pearson
from bounds.models.laws.contour import TailProbability, gaussian_norm_tails, quadratic_form_tails
from bounds.models.laws.enclosed import gaussian_norm_tail
from bounds.models.laws.error_law import ErrorLaw, GaussianVectorLaw, error_exceeds
from bounds.models.laws.noncentral import noncentral_chi_square_sf

__all__ = [
    "ErrorLaw",
    "GaussianVectorLaw",
    "Proportion",
    "TailProbability",
    "clopper_pearson",
    "error_exceeds",
    "gaussian_norm_tail",
    "gaussian_norm_tails",
    "noncentral_chi_square_sf",
    "quadratic_form_tails",
]
